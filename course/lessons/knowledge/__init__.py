"""What notebook 11_knowledge needs besides its text: questions."""
