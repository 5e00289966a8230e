import { compiled } from "../../../watch.js";
import { AdjudicateError, createEngine, loadModule } from "adjudicate";
import given from "../../../given.js";
import { reportOf } from "../../../questions.js";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

const atImport = [...compiled];

export async function GET() {
  const engine = await createEngine();
  return Response.json(await reportOf({ engine, loadModule, AdjudicateError, atImport, compiled }, given));
}
