import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Locator, Page } from '@playwright/test';
import { generateText } from 'ai';
import OpenAI from 'openai';
import { answer, copied, openTool, test } from './connect-page.ts';
import { hasPython, installTools } from './install-tools.ts';
import { expect, signIn } from './hub.ts';

/* Runs each tool with the settings that the page copies for it. */

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const timeout = 90_000;

/** Programs in the pinned versions of `connect-tools`, with what makes them answer once and end. */
const programs: readonly { id: string; name: string; command: string; settings?: string; env?: object }[] = [
  // From 2.1.113 on it is a binary of 364 MB; this one is the last of 64 MB.
  { id: 'claude-code', name: 'Claude Code', command: 'claude -p Hello' },
  { id: 'claude-code', name: 'Claude Code', command: 'claude -p Hello', settings: '.claude/settings.json' },
  // 0.169 has 404 MB, 0.111 has 108.
  { id: 'codex', name: 'Codex', command: 'codex exec --skip-git-repo-check Hello' },
  { id: 'gemini-cli', name: 'Gemini CLI', command: 'gemini -p Hello', env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } },
  { id: 'continue', name: 'Continue', command: 'cn -p Hello' },
];

type Language = 'typescript' | 'python' | 'shell';

/** Code of the page, by the label of the variant. */
const snippets: readonly { id: string; name: string; variants: readonly (readonly [string, Language])[] }[] = [
  {
    id: 'typescript',
    name: 'TypeScript',
    variants: [
      ['openai', 'typescript'],
      ['@anthropic-ai/sdk', 'typescript'],
      ['@google/genai', 'typescript'],
    ],
  },
  { id: 'vercel-ai-sdk', name: 'Vercel AI SDK', variants: [['', 'typescript']] },
  {
    id: 'langchain',
    name: 'LangChain',
    variants: [
      ['Python', 'python'],
      ['TypeScript', 'typescript'],
    ],
  },
  {
    id: 'python',
    name: 'Python',
    variants: [
      ['openai', 'python'],
      ['anthropic', 'python'],
      ['google-genai', 'python'],
    ],
  },
  {
    id: 'curl',
    name: 'curl',
    variants: [
      ['OpenAI', 'shell'],
      ['Anthropic', 'shell'],
      ['Gemini', 'shell'],
    ],
  },
];

/** Entries that are not run, by id, with the reason. */
const notRun: Record<string, string> = {
  cursor: 'desktop program, calls from its own servers',
  cline: 'extension of VS Code',
  'roo-code': 'extension of VS Code',
  zed: 'desktop program',
  opencode: '177 MB; its library is run below',
  aider: 'Python program, not an npm package; its library is run below',
  'open-webui': 'server, set up by a form',
  librechat: 'server with its own database, not an npm package',
  lobechat: 'web app, not an npm package',
  'cherry-studio': 'desktop program',
  chatbox: 'desktop program',
  nextchat: 'web app, not an npm package',
  dify: 'server of several containers',
  n8n: 'server, set up by a form',
  go: 'compiling its library takes longer than all programs here together',
  java: 'needs a build tool with a repository of its own',
};

let tools: string;

test.beforeAll(async () => {
  test.setTimeout(400_000);
  tools = await installTools();
});
test.use({ permissions: ['clipboard-read', 'clipboard-write'] });
test.beforeEach(async ({ context, hub }) => signIn(context, hub));

/** A region of the recipe, without the number in its name. */
const step = (recipe: Locator, name: string): Locator => recipe.getByRole('region', { name });

/** Writes the files of the recipe below a new home and runs the command in a shell with its variables. */
async function runProgram(page: Page, recipe: Locator, { command, settings, env }: (typeof programs)[number]) {
  const home = mkdtempSync(path.join(tmpdir(), 'relay-hub-tool-'));
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), text);
  };
  let script = '';
  for (const region of await recipe.getByRole('region').all()) {
    const name = (await region.getAttribute('aria-label')) ?? '';
    const file = /Put this into ~\/(\S+)$/.exec(name)?.[1];
    if (file) write(file, await copied(page, region));
    else if (name.endsWith('Run')) expect(command.split(' ')).toContain(await copied(page, region));
    else if (name.endsWith('in your shell')) {
      if (settings) await region.getByRole('radio', { name: 'settings.json' }).check({ force: true });
      const text = await copied(page, region);
      if (settings) write(settings, text);
      else script += `${text}\n`;
    }
  }
  const PATH = [path.join(tools, 'node_modules/.bin'), path.dirname(process.execPath), process.env['PATH']].join(':');
  // Nothing of the developer's own settings; no reports to the makers.
  const clean = { PATH, HOME: home, TERM: 'dumb', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ...env };
  const child = run('bash', ['-c', script + command], { cwd: home, env: clean, timeout });
  child.child.stdin?.end();
  const { stdout } = await child;
  rmSync(home, { recursive: true, force: true });
  return stdout;
}

const runSnippet: Record<Language, (text: string, cwd: string) => Promise<string>> = {
  shell: async (text) => (await run('bash', ['-c', text], { timeout })).stdout,
  typescript: (text, cwd) => fed([process.execPath, '--input-type=module', '-'], text, cwd),
  python: (text, cwd) => fed(['python3', '-'], text, cwd),
};

async function fed([command, ...options]: [string, ...string[]], text: string, cwd: string): Promise<string> {
  const env = { ...process.env, PYTHONPATH: path.join(tools, 'python') };
  const child = run(command, options, { cwd, env, timeout });
  child.child.stdin?.end(text);
  return (await child).stdout;
}

for (const program of programs)
  test(`${program.name}${program.settings ? ' with a settings file' : ''} answers with what the page shows`, async ({
    page,
  }) => {
    const recipe = await openTool(page, program.id, program.name);
    expect(await runProgram(page, recipe, program)).toMatch(answer);
    await expect(recipe.getByText(/call received/i)).toBeVisible();
  });

for (const { id, name, variants } of snippets)
  test(`the code for ${name} runs as it is copied`, async ({ page, keys }) => {
    const code = step(await openTool(page, id, name), 'Code');
    for (const [label, language] of variants) {
      if (language === 'python' && !hasPython) continue;
      if (label) await code.getByRole('radio', { name: label }).check({ force: true });
      const text = await copied(page, code);
      expect(text).toContain(keys['first']);
      expect(await runSnippet[language](text, id === 'langchain' ? tools : root), label).toMatch(answer);
    }
  });

/** The value of a name in lines such as `export NAME=value`. */
const valueIn = (text: string, name: string): string => new RegExp(`^export ${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';

test('what the page shows for opencode and aider works with the library that each of them uses', async ({ page }) => {
  const opencode = await openTool(page, 'opencode', 'opencode');
  const { relayhub } = (
    JSON.parse(await copied(page, step(opencode, 'opencode.json'))) as {
      provider: { relayhub: { npm: string; options: { baseURL: string; apiKey: string }; models: object } };
    }
  ).provider;
  expect(relayhub.npm).toBe('@ai-sdk/openai-compatible');
  const keyName = relayhub.options.apiKey.replaceAll(/^\{env:|\}$/g, '');
  const provider = createOpenAICompatible({
    name: 'relayhub',
    baseURL: relayhub.options.baseURL,
    apiKey: valueIn(await copied(page, step(opencode, 'shell')), keyName),
  });
  const [listed = ''] = Object.keys(relayhub.models);
  expect((await generateText({ model: provider(listed), prompt: 'Hello' })).text).toMatch(answer);

  const aider = await copied(page, step(await openTool(page, 'aider', 'aider'), 'shell'));
  const chat = new OpenAI({ baseURL: valueIn(aider, 'OPENAI_API_BASE'), apiKey: valueIn(aider, 'OPENAI_API_KEY') });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const completion = await chat.chat.completions.create({ model: 'gpt-4o-mini', messages });
  expect(completion.choices[0]?.message.content).toMatch(answer);
});

test('every entry of the page is run, or has a reason here', async ({ page }) => {
  await openTool(page, 'curl', 'curl');
  const radios = page.getByRole('radiogroup', { name: 'Tool' }).getByRole('radio');
  const shown = await radios.evaluateAll((all) => all.map((radio) => radio.getAttribute('value') ?? ''));
  const covered = new Set([...programs, ...snippets].map(({ id }) => id));
  expect(shown.toSorted()).toEqual([...covered, ...Object.keys(notRun)].toSorted());
});
