import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Environment, pythonOf } from './install-clients.ts';
import { onlyHere, type Seen } from './run-programs.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('library_runs.py', import.meta.url));

/** Runs the checks of a Python library on the models, `vendor=model`; what was seen, by vendor. */
export async function runLibrary(
  library: string,
  environment: Environment,
  { url, key, models }: { url: string; key: string; models: string[] },
): Promise<Record<string, Seen>> {
  const env = { ...process.env, ...onlyHere, LITELLM_LOCAL_MODEL_COST_MAP: 'True', PYTHONWARNINGS: 'ignore' };
  const { stdout } = await run(pythonOf(environment), [script, library, url, key, ...models], {
    env,
    timeout: 600_000,
    maxBuffer: 1e8,
  });
  const seen: Record<string, Seen> = {};
  for (const [, json = ''] of stdout.matchAll(/^CHECK (.*)$/gm)) {
    const { vendor, check, error } = JSON.parse(json) as { vendor: string; check: string; error: string };
    (seen[vendor] ??= {})[check] = error;
  }
  return seen;
}
