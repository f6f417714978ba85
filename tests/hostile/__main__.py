"""The campaign, apart from its file: a process that is forked for a trial runs its main file anew, but for one of this name."""

from hostile.campaign import main

main()
