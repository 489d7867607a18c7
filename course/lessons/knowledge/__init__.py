"""What notebook 10_knowledge needs besides its text: exercises and questions."""
