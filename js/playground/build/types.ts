/**
 * Converts the package's type declarations to the data of completion.
 *
 * The declarations are generated from the engine's types, so the editor offers exactly the fields that the engine reads.
 */
import { dirname } from "node:path";
import ts from "typescript";

import type { ShapeField, Shape } from "../src/editor/shape.js";

/** The types of the edited documents. */
export const DOCUMENTS = ["Envelope", "PolicyDocument", "ValidatePlanCall"] as const;

/** The types of conditions. */
const EXPRESSIONS = new Set(["Condition", "ConstraintExpression", "Expression"]);

/** Returns the shapes of the documents' types, by name. */
export function readTypes(declarations: string): Record<string, Shape> {
  const program = ts.createProgram([declarations], { strict: true, noLib: false, types: [], lib: ["lib.es2022.d.ts"] });
  const source = program.getSourceFile(declarations);
  if (source === undefined) throw new Error(`no declarations in ${dirname(declarations)}`);
  const reader = new TypeReader(program.getTypeChecker(), source);
  for (const name of DOCUMENTS) reader.named(name);
  return reader.shapes;
}

class TypeReader {
  readonly shapes: Record<string, Shape> = {};
  readonly #checker: ts.TypeChecker;
  readonly #declared = new Map<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>();
  /** The types of the union `Expression`: objects with one operator. */
  readonly #operations: ReadonlySet<ts.Type>;

  constructor(checker: ts.TypeChecker, source: ts.SourceFile) {
    this.#checker = checker;
    for (const statement of source.statements) {
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
        this.#declared.set(statement.name.text, statement);
      }
    }
    const expression = this.#declared.get("Expression");
    const type = expression && checker.getTypeAtLocation(expression.name);
    if (!type?.isUnion()) throw new Error("the package declares no union `Expression`");
    this.#operations = new Set(type.types);
  }

  /** Returns the shape of a declared type. Each is read once, because types can contain themselves. */
  named(name: string): Shape {
    if (EXPRESSIONS.has(name)) return { is: "expression" };
    const declaration = this.#declared.get(name);
    if (declaration === undefined) throw new Error(`the package declares no type \`${name}\``);
    if (!Object.hasOwn(this.shapes, name)) {
      this.shapes[name] = { is: "any" };
      this.shapes[name] = this.#structure(this.#checker.getTypeAtLocation(declaration.name));
    }
    return { is: "type", name };
  }

  #shape(type: ts.Type): Shape {
    const name = type.aliasSymbol?.name ?? (type.isClassOrInterface() ? type.symbol.name : undefined);
    const isOwn = name !== undefined && this.#declared.has(name) && !type.aliasTypeArguments?.length;
    return isOwn ? this.named(name) : this.#structure(type);
  }

  #structure(type: ts.Type): Shape {
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
    return this.#object(type);
  }

  #union(type: ts.UnionType): Shape {
    const parts = type.types.filter((part) => !(part.flags & ts.TypeFlags.Undefined) && !this.#operations.has(part));
    const shapes = parts.map((part) => this.#shape(part));
    if (type.types.some((part) => this.#operations.has(part))) shapes.push({ is: "expression" });
    const words = shapes.flatMap((shape) => (shape.is === "word" ? shape.words : []));
    const others = shapes.filter((shape) => shape.is !== "word");
    const booleans = others.filter((shape) => shape.is === "boolean");
    const rest = others.filter((shape) => shape.is !== "boolean");
    const any = [...(words.length > 0 ? [{ is: "word", words } as Shape] : []), ...booleans.slice(0, 1), ...rest];
    const [only, ...more] = any;
    return only !== undefined && more.length === 0 ? only : { is: "either", any };
  }

  #object(type: ts.Type): Shape {
    const members: Record<string, ShapeField> = {};
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const declaration = property.valueDeclaration ?? property.declarations?.[0];
      if (declaration === undefined) continue;
      const typeOf = this.#checker.getTypeOfSymbol(property);
      const isNever = this.#checker.getNonNullableType(typeOf).flags & ts.TypeFlags.Never;
      if (isNever) continue;
      const isOptional = Boolean(property.flags & ts.SymbolFlags.Optional);
      members[property.name] = {
        shape: this.#member(declaration, typeOf),
        about: ts.displayPartsToString(property.getDocumentationComment(this.#checker)).replaceAll(/\s+/g, " "),
        ...(isOptional ? { isOptional } : {}),
      };
    }
    const rest = this.#checker.getIndexInfosOfType(type).find(({ keyType }) => keyType.flags === ts.TypeFlags.String);
    const others = rest === undefined ? undefined : this.#shape(rest.type);
    return { is: "object", fields: members, ...(others !== undefined && others.is !== "any" ? { others } : {}) };
  }

  #member(declaration: ts.Declaration, type: ts.Type): Shape {
    // The type of an optional field has lost the name of its union.
    const written = ts.isPropertySignature(declaration) ? declaration.type?.getText() : undefined;
    if (written !== undefined && EXPRESSIONS.has(written)) return { is: "expression" };
    return this.#shape(type);
  }
}
