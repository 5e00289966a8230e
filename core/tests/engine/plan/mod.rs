//! Plans: what validators find in small ones, laws on random ones, hostile ones, and the pipeline that the specification is
//! about. Merging has its laws next to them.

mod advice;
mod advice_applied;
mod advice_ways;
mod calls;
mod constraints;
mod corpus;
mod hostile;
mod hostile_sizes;
mod laws;
mod members;
mod merge;
mod observed;
mod pipeline;
mod reading;
mod scores;
mod structure;
mod symbolic;
mod symbolic_bounds;
mod symbolic_laws;
