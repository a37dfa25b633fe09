"""One Protocol a kind of part, one file each, with what implementers must keep true.

A part is frozen; what changes is either a state that is passed in and handed
back (filters, exploration, accumulators) or one of the three things that
change in place (environment, memory, learner), which a part's `make` returns.
"""
