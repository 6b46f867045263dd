import {
  asJson,
  atGemini,
  atV1,
  env,
  fields,
  quoted,
  run,
  theKey,
  theModel,
  type ConnectFacts,
  type Tool,
} from './tool.ts';
import { ccSwitch } from './tool-links.ts';

const keyName = 'RELAYHUB_API_KEY';
const keyInEnv = env(({ key }) => ({ [keyName]: key }));
const on = '2026-11-23';
const gptModels = [/codex/, /^gpt-\d/, /^o\d/];

const claudeEnv = ({ hub, key, model, small }: ConnectFacts): Record<string, string> => ({
  ANTHROPIC_BASE_URL: `${hub}/claude`,
  ANTHROPIC_AUTH_TOKEN: key,
  ANTHROPIC_MODEL: model,
  ANTHROPIC_DEFAULT_HAIKU_MODEL: small,
});

/** VS Code extensions with the same form. */
const openAiCompatible = (name: string) =>
  fields(
    `${name} → ⚙ → API Provider → OpenAI Compatible`,
    ['Base URL', atV1],
    ['API Key', theKey],
    ['Model ID', theModel],
  );

export const codingTools: readonly Tool[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    mark: 'claudecode',
    group: 'coding',
    dialect: 'anthropic',
    address: '/claude',
    models: [/claude.*sonnet/, /claude.*opus/, /claude/],
    steps: [
      {
        kind: 'env',
        snippets: [
          ...env(claudeEnv).snippets,
          { label: 'settings.json', text: (facts) => asJson({ env: claudeEnv(facts) }) },
        ],
      },
      run('claude'),
    ],
    links: [ccSwitch('claude', '/claude')],
    note: 'claudeCode',
    checked: { by: 'measured', version: '2.1.330', on, source: 'requests of the program; code.claude.com/docs' },
  },
  {
    id: 'codex',
    name: 'Codex',
    mark: 'codex',
    group: 'coding',
    dialect: 'openai',
    address: '/v1',
    models: gptModels,
    steps: [
      {
        kind: 'file',
        path: '~/.codex/config.toml',
        text: (facts) => `model = ${quoted(facts.model)}
model_provider = "relayhub"

[model_providers.relayhub]
name = ${quoted(facts.site)}
base_url = ${quoted(atV1(facts))}
env_key = "${keyName}"
wire_api = "responses"`,
      },
      keyInEnv,
      run('codex'),
    ],
    links: [ccSwitch('codex', '/v1')],
    checked: { by: 'measured', version: '0.169.0', on, source: 'requests of the program; openai/codex source code' },
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    mark: 'geminicli',
    group: 'coding',
    dialect: 'gemini',
    address: '/gemini',
    models: [/gemini.*pro/, /gemini.*flash/, /gemini/],
    steps: [
      env((facts) => ({
        GOOGLE_GEMINI_BASE_URL: atGemini(facts),
        GEMINI_API_KEY: facts.key,
        GEMINI_MODEL: facts.model,
      })),
      {
        kind: 'file',
        path: '~/.gemini/settings.json',
        text: () => asJson({ security: { auth: { selectedType: 'gemini-api-key' } } }),
      },
      run('gemini'),
    ],
    links: [ccSwitch('gemini', '/gemini')],
    note: 'geminiCli',
    checked: { by: 'measured', version: '0.61.0', on, source: 'requests of the program' },
  },
  {
    id: 'cursor',
    name: 'Cursor',
    mark: 'cursor',
    group: 'coding',
    dialect: 'openai',
    address: '/v1',
    steps: [
      fields(
        'Cursor Settings → Models → API Keys',
        ['OpenAI API Key', theKey],
        ['Override OpenAI Base URL', atV1],
        ['+ Add Custom Model', theModel],
      ),
    ],
    note: 'cursor',
    checked: { by: 'docs', on, source: 'guides of ngrok, Cloudflare and Merge; forum.cursor.com/t/158805' },
  },
  {
    id: 'cline',
    name: 'Cline',
    mark: 'cline',
    group: 'coding',
    dialect: 'openai',
    address: '/v1',
    steps: [openAiCompatible('Cline')],
    checked: { by: 'docs', on, source: 'docs.cline.bot' },
  },
  {
    id: 'roo-code',
    name: 'Roo Code',
    mark: 'roocode',
    group: 'coding',
    dialect: 'openai',
    address: '/v1',
    steps: [openAiCompatible('Roo Code')],
    checked: { by: 'docs', on, source: 'docs.roocode.com' },
  },
  {
    id: 'continue',
    name: 'Continue',
    group: 'coding',
    dialect: 'openai',
    address: '/v1/',
    steps: [
      {
        kind: 'file',
        path: '~/.continue/config.yaml',
        text: ({ hub, site, key, model }) => `name: ${quoted(site)}
version: 1.0.0
schema: v1
models:
  - name: ${quoted(model)}
    provider: openai
    model: ${quoted(model)}
    apiBase: ${quoted(`${hub}/v1/`)}
    apiKey: ${quoted(key)}
    roles: [chat, edit, apply]`,
      },
    ],
    note: 'continue',
    checked: { by: 'source', version: '1.5.47', on, source: 'continuedev/continue, adapters 1.37.0' },
  },
  {
    id: 'zed',
    name: 'Zed',
    mark: 'zed',
    group: 'coding',
    dialect: 'openai',
    address: '/v1',
    steps: [
      {
        kind: 'file',
        path: '~/.config/zed/settings.json',
        text: (facts) =>
          asJson({
            language_models: {
              openai_compatible: {
                relayhub: { api_url: atV1(facts), available_models: [{ name: facts.model, max_tokens: 128_000 }] },
              },
            },
          }),
      },
      keyInEnv,
      run('zed'),
    ],
    note: 'zed',
    checked: { by: 'docs', on, source: 'zed.dev/docs/ai/llm-providers' },
  },
  {
    id: 'opencode',
    name: 'opencode',
    mark: 'opencode',
    group: 'coding',
    dialect: 'openai',
    address: '/v1',
    steps: [
      {
        kind: 'file',
        path: '~/.config/opencode/opencode.json',
        text: (facts) =>
          asJson({
            provider: {
              relayhub: {
                npm: '@ai-sdk/openai-compatible',
                name: facts.site,
                options: { baseURL: atV1(facts), apiKey: `{env:${keyName}}` },
                models: { [facts.model]: { name: facts.model } },
              },
            },
          }),
      },
      keyInEnv,
      run(({ model }) => `opencode --model ${quoted(`relayhub/${model}`)}`),
    ],
    checked: { by: 'measured', version: '1.18.33', on, source: 'requests of the program' },
  },
  {
    id: 'aider',
    name: 'aider',
    group: 'coding',
    dialect: 'openai',
    address: '/v1',
    steps: [
      env((facts) => ({ OPENAI_API_BASE: atV1(facts), OPENAI_API_KEY: facts.key })),
      run(({ model }) => `aider --model ${quoted(`openai/${model}`)}`),
    ],
    checked: { by: 'source', version: '0.86.2', on, source: 'aider.chat/docs/llms/openai-compat.html' },
  },
];
