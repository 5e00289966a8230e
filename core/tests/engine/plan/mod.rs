//! Plans: the codes of the corpus, suggestions that are followed, laws on random plans, models, and hostile plans.

mod advice_applied;
mod advice_ways;
mod calls;
mod corpus;
mod hostile;
mod hostile_sizes;
mod laws;
mod merge;
mod observed;
mod scores;
mod symbolic;
mod symbolic_bounds;
mod symbolic_laws;
