import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cache, pythonOf } from './install-clients.ts';

export interface CallPlace {
  url: string;
  key: string;
  model: string;
}

/** How a program is run once, in an empty home. */
interface Program {
  env: (place: CallPlace) => Record<string, string>;
  files?: (place: CallPlace) => Record<string, string>;
  /** `follows`: goes on with the conversation of the run before. */
  command: (prompt: string, follows: boolean) => string[];
  checks: readonly Check[];
}

interface Check {
  name: string;
  prompt: string;
  follows?: boolean;
  /** Texts of the output that are not in the prompt. */
  proof: string[];
}

const bin = (name: string): string => path.join(cache, 'npm/node_modules/.bin', name);

/** The shell computes what the model can only know from the tool's result. */
const withShell: readonly Check[] = [
  { name: 'print', prompt: 'Hello', proof: ['Hello from the simulated model.'] },
  {
    name: 'shell',
    prompt: 'The word is marmot-7. [[run expr 600 + 66]]',
    proof: ['The tools say: ', '666'],
  },
  { name: 'resume', prompt: 'And now? [[recall]]', follows: true, proof: ['The word was marmot-7', '666'] },
];

export const runnable: Record<string, Program> = {
  'Claude Code': {
    env: ({ url, key, model }) => ({
      ANTHROPIC_BASE_URL: `${url}/claude`,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    command: (prompt, follows) => [bin('claude'), ...(follows ? ['-c'] : []), '-p', prompt, '--allowedTools', 'Bash'],
    checks: withShell,
  },
  Codex: {
    env: ({ key }) => ({ RELAY_HUB_KEY: key }),
    files: ({ url, model }) => ({
      '.codex/config.toml': [
        `model = "${model}"`,
        'model_provider = "relayhub"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[model_providers.relayhub]',
        'name = "Relay Hub"',
        `base_url = "${url}/v1"`,
        'env_key = "RELAY_HUB_KEY"',
        'wire_api = "responses"',
      ].join('\n'),
    }),
    command: (prompt, follows) => [
      bin('codex'),
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      ...(follows ? ['resume', '--last'] : []),
      prompt,
    ],
    checks: withShell,
  },
  'Gemini CLI': {
    env: ({ url, key, model }) => ({
      GOOGLE_GEMINI_BASE_URL: `${url}/gemini`,
      GEMINI_API_KEY: key,
      GEMINI_MODEL: model,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    }),
    command: (prompt, follows) => [
      process.execPath,
      bin('gemini'),
      '--yolo',
      ...(follows ? ['--resume', 'latest'] : []),
      '-p',
      prompt,
    ],
    checks: withShell,
  },
  aider: {
    env: ({ url, key }) => ({
      OPENAI_API_BASE: `${url}/v1`,
      OPENAI_API_KEY: key,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    }),
    files: ({ model }) => ({ model: `openai/${model}` }),
    command: (prompt) => [
      'sh',
      '-c',
      `exec "$0" -m aider --model "$(cat model)" --no-git --yes-always --no-check-update --analytics-disable --no-show-model-warnings --no-show-release-notes --map-tokens 0 --message "$1"`,
      pythonOf('aider'),
      prompt,
    ],
    checks: [{ name: 'print', prompt: 'Hello', proof: ['Hello from the simulated model.'] }],
  },
};

/** The result of a check: empty if it passed, else what was seen instead. */
export type Seen = Record<string, string>;

/** Runs the checks of a program one after the other in one home. */
export async function runProgram(name: string, place: CallPlace): Promise<Seen> {
  const { env, files, command, checks } = runnable[name]!; // callers take names from the table
  const home = mkdtempSync(path.join(tmpdir(), 'relay-hub-client-'));
  for (const [file, text] of Object.entries(files?.(place) ?? {})) {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), text);
  }
  const seen: Seen = {};
  for (const { name: check, prompt, follows = false, proof } of checks) {
    const output = await outputOf(command(prompt, follows), home, { ...onlyHere, ...env(place) });
    const missing = proof.filter((part) => !output.includes(part));
    seen[check] = missing.length === 0 ? '' : `lacks ${missing.join(', ')}: ${output.slice(-1500)}`;
  }
  rmSync(home, { recursive: true, force: true });
  return seen;
}

/** A dead proxy for everything but this machine: a client under test reaches nothing else. */
export const onlyHere: Record<string, string> = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
};

const TIME_LIMIT_MS = 180_000;

/** Standard output and errors of a command, run without the developer's settings. */
function outputOf([file, ...args]: string[], home: string, env: Record<string, string>): Promise<string> {
  const PATH = [path.dirname(process.execPath), process.env['PATH']].join(':');
  const child = spawn(file!, args, {
    cwd: home,
    env: { PATH, HOME: home, TERM: 'dumb', LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIME_LIMIT_MS,
  });
  let output = '';
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(String(error)));
    child.once('close', () => resolve(output));
  });
}
