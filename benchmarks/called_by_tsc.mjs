// Says where calls of a TypeScript project lead, by TypeScript's own checker.
//
//     node called_by_tsc.mjs FOLDER < calls.json     # FOLDER has tsconfig.json and node_modules
//
// In: [[path, line, column], ...], of the called names; out: [[[path, line], ...], ...], the functions,
// methods, classes and interfaces below FOLDER that each may mean. Paths are below FOLDER, lines are
// 1-based, columns are in UTF-16 units from 0.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";

const folder = resolve(process.argv[2]);
const ts = createRequire(join(folder, "package.json"))("typescript");
const config = ts.getParsedCommandLineOfConfigFile(join(folder, "tsconfig.json"), {}, {
	...ts.sys,
	onUnRecoverableConfigFileDiagnostic(problem) {
		throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
	},
});
const program = ts.createProgram(config.fileNames, config.options);
const checker = program.getTypeChecker();

const calls = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(calls.map(([path, line, column]) => places(path, line, column))));

function places(path, line, column) {
	const file = program.getSourceFile(join(folder, path));
	if (file === undefined) throw new Error(`${path} is not a file of the project`);
	let symbol = checker.getSymbolAtLocation(innermost(file, file.getPositionOfLineAndCharacter(line - 1, column)));
	if (symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
	return (symbol?.declarations ?? []).filter(isDefinition).map(place).filter(isInside);
}

function innermost(node, position) {
	const inner = ts.forEachChild(node, (child) => (child.getStart() <= position && position < child.end ? child : undefined));
	return inner === undefined ? node : innermost(inner, position);
}

function isDefinition(node) {
	const value = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) ? node.initializer : undefined;
	return (
		ts.isFunctionDeclaration(node) ||
		ts.isMethodDeclaration(node) ||
		ts.isMethodSignature(node) ||
		ts.isAccessor(node) ||
		ts.isClassDeclaration(node) ||
		ts.isInterfaceDeclaration(node) ||
		(value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value) || ts.isClassExpression(value)))
	);
}

function place(node) {
	const file = node.getSourceFile();
	const { line } = file.getLineAndCharacterOfPosition((node.name ?? node).getStart());
	return [relative(folder, file.fileName), line + 1];
}

function isInside([path]) {
	return !path.startsWith("..") && !path.startsWith("node_modules");
}
