"""What notebook 10_knowledge needs besides its text: an exercise and questions."""
