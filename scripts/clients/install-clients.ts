import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { root, say } from '../lib/run.ts';

const run = promisify(execFile);
export const cache = path.join(root, '.cache/clients');

/** Programs of npm, by the names of their packages. */
export const programs = {
  'Claude Code': '@anthropic-ai/claude-code',
  Codex: '@openai/codex',
  'Gemini CLI': '@google/gemini-cli',
} as const;

/** Python environments: packages that pin others' versions are kept apart from those. */
export const environments = {
  official: ['openai', 'anthropic', 'google-genai'],
  frameworks: [
    'litellm',
    'langchain-openai',
    'langchain-anthropic',
    'pydantic-ai',
    'openai-agents',
    'instructor',
    'llama-index-llms-openai',
    'llm',
  ],
  aider: ['aider-chat'],
} as const;
export type Environment = keyof typeof environments;

export const pythonOf = (environment: Environment): string => path.join(cache, environment, 'bin/python');

/** Installs missing clients, about 3 GB; with `update` the current versions of all. */
export async function installClients(update: boolean): Promise<void> {
  mkdirSync(cache, { recursive: true });
  for (const name of Object.keys(environments) as Environment[]) await installPython(name, update);
  const folder = path.join(cache, 'npm');
  if (existsSync(path.join(folder, 'node_modules')) && !update) return;
  say(`installing ${Object.keys(programs).join(', ')}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const script = process.env['npm_execpath'] ?? '';
  const known = script.endsWith('npm-cli.js');
  const wanted = Object.values(programs).map((name) => `${name}@latest`);
  await run(
    known ? process.execPath : 'npm',
    [...(known ? [script] : []), 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted],
    { cwd: folder },
  );
  // Its install script only puts the program for this machine in its place.
  await run(process.execPath, ['install.cjs'], { cwd: path.join(folder, 'node_modules', programs['Claude Code']) });
}

/** A folder without its `complete` file was not installed to the end. */
async function installPython(name: Environment, update: boolean): Promise<void> {
  const folder = path.join(cache, name);
  const complete = path.join(folder, 'complete');
  if (existsSync(complete) && !update) return;
  say(`installing ${environments[name].join(', ')}`);
  rmSync(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(pythonOf(name), ['-m', 'pip', 'install', '--quiet', ...environments[name]], { maxBuffer: 1e8 });
  writeFileSync(complete, '');
}

/** Installed versions by package. */
export async function installedVersions(): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const [title, name] of Object.entries(programs)) {
    const file = path.join(cache, 'npm/node_modules', name, 'package.json');
    versions[title] = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  }
  for (const name of Object.keys(environments) as Environment[]) {
    const { stdout } = await run(pythonOf(name), ['-m', 'pip', 'list', '--format', 'json']);
    for (const { name: found, version } of JSON.parse(stdout) as { name: string; version: string }[])
      if (environments[name].some((wanted) => wanted === found)) versions[found] = version;
  }
  return versions;
}
