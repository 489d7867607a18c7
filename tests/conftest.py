from hypothesis import settings

# A slow machine is no fault of the code: no test may fail on time alone.
settings.register_profile("untimed", deadline=None, print_blob=True)
settings.load_profile("untimed")
