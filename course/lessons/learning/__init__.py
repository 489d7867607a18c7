"""What notebook 10_learning needs besides its text: a net, its training, checks and questions."""
