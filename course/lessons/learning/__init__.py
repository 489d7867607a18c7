"""What notebook 11_learning needs besides its text: a net, its training, checks and questions."""
