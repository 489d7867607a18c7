"""What notebook 09 needs: its exercises and their solutions, its quiz, a program to repair."""
