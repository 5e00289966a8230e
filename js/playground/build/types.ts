/**
 * From the package's type declarations to what completion knows of documents.
 *
 * The declarations are generated from the engine's own types, so what the editor offers is what the engine reads.
 */
import { dirname } from "node:path";
import ts from "typescript";

import type { Member, Shape } from "../src/editor/shape.js";

/** The documents that are edited, by the names of their types. */
export const DOCUMENTS = ["Envelope", "PolicyDocument", "ValidatePlanCall"] as const;

/** Types that stand for a condition, and the one member that is a condition and says so only in words. */
const EXPRESSIONS = new Set(["Expression", "BareExpression"]);
const CONDITION_MEMBER = "RuleDocument.when";

/** Reads the types that the documents consist of, by name. */
export function readTypes(declarations: string): Record<string, Shape> {
  const program = ts.createProgram([declarations], { strict: true, noLib: false, types: [], lib: ["lib.es2022.d.ts"] });
  const source = program.getSourceFile(declarations);
  if (source === undefined) throw new Error(`there are no declarations in ${dirname(declarations)}`);
  const reader = new Reader(program.getTypeChecker(), source);
  for (const name of DOCUMENTS) reader.named(name);
  reader.check();
  return reader.shapes;
}

class Reader {
  readonly shapes: Record<string, Shape> = {};
  readonly #checker: ts.TypeChecker;
  readonly #declared = new Map<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>();
  #hasCondition = false;

  constructor(checker: ts.TypeChecker, source: ts.SourceFile) {
    this.#checker = checker;
    for (const statement of source.statements) {
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
        this.#declared.set(statement.name.text, statement);
      }
    }
  }

  /** The shape of a declared type, which is read once: types contain themselves. */
  named(name: string): Shape {
    if (EXPRESSIONS.has(name)) return { is: "expression" };
    const declaration = this.#declared.get(name);
    if (declaration === undefined) throw new Error(`the package declares no type \`${name}\``);
    if (!Object.hasOwn(this.shapes, name)) {
      this.shapes[name] = { is: "any" };
      this.shapes[name] = this.#structure(this.#checker.getTypeAtLocation(declaration.name), name);
    }
    return { is: "type", name };
  }

  /** Fails where something that completion relies on is not there any more. */
  check(): void {
    if (!this.#hasCondition) throw new Error(`the package declares no member \`${CONDITION_MEMBER}\``);
  }

  #shape(type: ts.Type): Shape {
    const name = type.aliasSymbol?.name ?? (type.isClassOrInterface() ? type.symbol.name : undefined);
    const isOwn = name !== undefined && this.#declared.has(name) && !type.aliasTypeArguments?.length;
    return isOwn ? this.named(name) : this.#structure(type, "");
  }

  #structure(type: ts.Type, owner: string): Shape {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive)) return { is: "any" };
    if (type.isStringLiteral()) return { is: "word", words: [type.value] };
    if (flags & ts.TypeFlags.StringLike) return { is: "text" };
    if (flags & ts.TypeFlags.NumberLike) return { is: "number" };
    if (flags & ts.TypeFlags.BooleanLike) return { is: "boolean" };
    if (flags & ts.TypeFlags.Null) return { is: "null" };
    if (type.isUnion()) return this.#union(type);
    const item = this.#checker.isArrayType(type) ? this.#checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
    if (item !== undefined) return { is: "list", of: this.#shape(item) };
    return this.#object(type, owner);
  }

  #union(type: ts.UnionType): Shape {
    const shapes = type.types.filter((part) => !(part.flags & ts.TypeFlags.Undefined)).map((part) => this.#shape(part));
    const words = shapes.flatMap((shape) => (shape.is === "word" ? shape.words : []));
    const others = shapes.filter((shape) => shape.is !== "word");
    const booleans = others.filter((shape) => shape.is === "boolean");
    const rest = others.filter((shape) => shape.is !== "boolean");
    const any = [...(words.length > 0 ? [{ is: "word", words } as Shape] : []), ...booleans.slice(0, 1), ...rest];
    const [only, ...more] = any;
    return only !== undefined && more.length === 0 ? only : { is: "either", any };
  }

  #object(type: ts.Type, owner: string): Shape {
    const members: Record<string, Member> = {};
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const declaration = property.valueDeclaration ?? property.declarations?.[0];
      if (declaration === undefined) continue;
      const typeOf = this.#checker.getTypeOfSymbol(property);
      const isNever = this.#checker.getNonNullableType(typeOf).flags & ts.TypeFlags.Never;
      if (isNever) continue;
      const isOptional = Boolean(property.flags & ts.SymbolFlags.Optional);
      members[property.name] = {
        shape: this.#member(`${owner}.${property.name}`, declaration, typeOf),
        about: ts.displayPartsToString(property.getDocumentationComment(this.#checker)).replaceAll(/\s+/g, " "),
        ...(isOptional ? { isOptional } : {}),
      };
    }
    const rest = this.#checker.getIndexInfosOfType(type).find(({ keyType }) => keyType.flags === ts.TypeFlags.String);
    const others = rest === undefined ? undefined : this.#shape(rest.type);
    return { is: "object", members, ...(others !== undefined && others.is !== "any" ? { others } : {}) };
  }

  #member(path: string, declaration: ts.Declaration, type: ts.Type): Shape {
    if (path === CONDITION_MEMBER) {
      this.#hasCondition = true;
      return { is: "expression" };
    }
    // The checker forgets the name of an alias for `object`, which conditions are.
    const written = ts.isPropertySignature(declaration) ? declaration.type?.getText() : undefined;
    if (written !== undefined && (EXPRESSIONS.has(written) || written === "Condition")) return { is: "expression" };
    return this.#shape(type);
  }
}
