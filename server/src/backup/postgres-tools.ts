import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { asError } from '#caught-error.ts';
import { BackupError } from './backup-error.ts';

type ToolName = 'pg_dump' | 'pg_restore';

/** A program of PostgreSQL's client, and its version. */
export interface PostgresTool {
  command: string;
  /** Such as `17.2`. */
  version: string;
}

/** `17` of `17.2`, `9` of `9.6`: versions before 10 are as old as each other here. */
export const majorOf = (version: string): number => Number.parseInt(version, 10);

/** Where packages of Linux distributions keep several versions. */
const versioned = '/usr/lib/postgresql';

/**
 * The oldest installed program that is at least of the wanted version, which is needed to read the server's catalogue.
 * Throws a `BackupError` that names both versions.
 */
export async function findTool(name: ToolName, wanted: string, whose: string): Promise<PostgresTool> {
  const commands = [name, ...foldersIn(versioned).map((version) => path.join(versioned, version, 'bin', name))];
  const tools = (await Promise.all(commands.map(toolAt))).filter((tool) => tool !== undefined);
  const fit = tools
    .filter(({ version }) => majorOf(version) >= majorOf(wanted))
    .toSorted((a, b) => majorOf(a.version) - majorOf(b.version));
  if (fit[0]) return fit[0];
  const newest = tools.toSorted((a, b) => majorOf(b.version) - majorOf(a.version))[0];
  throw new BackupError(
    newest
      ? `${name} has version ${newest.version}, and ${whose} has version ${wanted}. Install the PostgreSQL client of version ${majorOf(wanted)} or newer.`
      : `${name} is not installed. Install the PostgreSQL client of version ${majorOf(wanted)} or newer (${whose} has version ${wanted}).`,
  );
}

async function toolAt(command: string): Promise<PostgresTool | undefined> {
  try {
    const text = await run(command, ['--version'], {});
    const version = /\(PostgreSQL\) (\d+(?:\.\d+)?)/.exec(text)?.[1];
    return version === undefined ? undefined : { command, version };
  } catch {
    return undefined;
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The table of contents of a dump. Throws `BackupError`. */
export async function listDump({ command }: PostgresTool, dump: string): Promise<string> {
  try {
    return await run(command, ['--list', dump], {});
  } catch (error) {
    throw new BackupError(`The dump in the archive cannot be read: ${asError(error).message}`);
  }
}

/** Runs a program of PostgreSQL's client on a database. Throws `BackupError` with its first message. */
export async function runTool({ command }: PostgresTool, url: string, args: readonly string[]): Promise<void> {
  // Other users of the machine can read arguments, but not the environment.
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = '';
  try {
    const env = password === '' ? {} : { PGPASSWORD: password };
    await run(command, [...args, `--dbname=${address.href}`, '--no-password'], env);
  } catch (error) {
    throw new BackupError(`${path.basename(command)} failed: ${asError(error).message}`);
  }
}

function run(command: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, problem] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => {
      if (problem.length < MOST_TEXT) problem += piece.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(problem.trim().split('\n').slice(0, 3).join(' ') || `it ended with ${String(code)}`));
    });
  });
}

const MOST_TEXT = 4000;
