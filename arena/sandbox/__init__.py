"""The sandbox: agents from files play in separate processes, under limits."""
