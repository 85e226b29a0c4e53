"""What keeps tests, and the processes they start, from speaking to other machines."""
