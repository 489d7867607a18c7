"""How checks, hints and questions work, whatever the lesson."""
