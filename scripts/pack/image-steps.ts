import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/run.ts';

/** Instructions of deploy/Dockerfile, one per line and without comments. */
export const instructions = readFileSync(path.join(root, 'deploy/Dockerfile'), 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '');

/** The shell command that packs the hub into `/out` and unpacks it into `/app`. */
export const packStep = (): string => last('RUN node ', 'RUN ');

/** Program and arguments of an instruction in exec form. */
export const imageCommand = (name: 'ENTRYPOINT' | 'CMD' | 'HEALTHCHECK'): string[] =>
  JSON.parse(/\[.*\]$/.exec(last(`${name} `))?.[0] ?? '[]') as string[]; // an array of texts, by Docker's format

/** Environment variables of the image. */
export const imageEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    last('ENV ')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );

function last(start: string, prefix = start): string {
  const line = instructions.findLast((each) => each.startsWith(start));
  if (line === undefined) throw new Error(`deploy/Dockerfile has no line ${start}`);
  return line.slice(prefix.length);
}
