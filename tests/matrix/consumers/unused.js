import "adjudicate";
import { AdjudicateError } from "adjudicate";

globalThis.report = new AdjudicateError("of_my_own", "the engine is not used", "/here").toJSON();
