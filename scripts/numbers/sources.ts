import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Comment, type Program, parseSync } from 'oxc-parser';
import { root } from '../lib/run.ts';

export const packageNames = ['contract', 'server', 'console', 'scripts', 'bench', 'testing', 'e2e'] as const;
export type PackageName = (typeof packageNames)[number];

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  path: string;
  text: string;
  lines: number;
  program: Program;
  comments: Comment[];
  /** Line of an offset, counted from 1. */
  lineOf: (offset: number) => number;
}

export interface PackageSources {
  name: PackageName;
  /** Hand-written sources, without tests and the code that only tests run. */
  shipped: SourceFile[];
  tests: SourceFile[];
}

const generated = /\.gen\.ts$|\.d\.ts$/;
const testCode = /\.(test|spec)\.tsx?$|\/(testing|tests?|fixtures)\/|^(e2e|testing)\//;

/** Reads and parses every TypeScript file of a package. */
export function readPackage(name: PackageName): PackageSources {
  const files = globSync(`${name}/**/*.{ts,tsx}`, {
    cwd: root,
    exclude: (entry) => /(^|[\\/])(node_modules|dist|results)$/.test(entry),
  })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => !generated.test(file))
    .toSorted()
    .map(readSource);
  return {
    name,
    shipped: files.filter((file) => !testCode.test(file.path)),
    tests: files.filter((file) => testCode.test(file.path)),
  };
}

function readSource(file: string): SourceFile {
  const text = readFileSync(path.join(root, file), 'utf8');
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  return { path: file, text, lines: text.split('\n').length - 1, program, comments, lineOf: lineFinder(starts) };
}

/** Binary search for the line that contains an offset. */
function lineFinder(starts: readonly number[]): (offset: number) => number {
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
