import "../../../watch.js";
import { AdjudicateError, createEngine, loadModule } from "adjudicate";
import { reportOf } from "../../../questions.js";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const GET = async () => Response.json(await reportOf({ engine: await createEngine(), loadModule, AdjudicateError }));
