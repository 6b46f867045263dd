import { atHost, atV1, env, fields, quoted, theKey, theModel, type Tool } from './tool.ts';
import { chatbox, cherryStudio, lobeChat, nextChat } from './tool-links.ts';

const on = '2026-11-23';

export const chatTools: readonly Tool[] = [
  {
    id: 'open-webui',
    name: 'Open WebUI',
    mark: 'openwebui',
    group: 'chat',
    dialect: 'openai',
    address: '/v1',
    steps: [
      fields('Admin Settings → Connections → OpenAI → +', ['URL', atV1], ['Key', theKey]),
      env((facts) => ({ OPENAI_API_BASE_URL: atV1(facts), OPENAI_API_KEY: facts.key })),
    ],
    note: 'openWebUi',
    checked: { by: 'docs', on, source: 'docs.openwebui.com; open-webui source code' },
  },
  {
    id: 'librechat',
    name: 'LibreChat',
    group: 'chat',
    dialect: 'openai',
    address: '/v1',
    steps: [
      {
        kind: 'file',
        path: 'librechat.yaml',
        text: (facts) => `version: 1.2.1
endpoints:
  custom:
    - name: ${quoted(facts.site)}
      apiKey: "\${RELAYHUB_API_KEY}"
      baseURL: ${quoted(atV1(facts))}
      models:
        default: [${quoted(facts.model)}]
        fetch: true
      titleConvo: true
      titleModel: ${quoted(facts.small)}
      modelDisplayLabel: ${quoted(facts.site)}`,
      },
      { kind: 'file', path: '.env', text: ({ key }) => `RELAYHUB_API_KEY=${key}` },
    ],
    checked: { by: 'docs', on, source: 'librechat.ai/docs/configuration/librechat_yaml' },
  },
  {
    id: 'lobechat',
    name: 'LobeChat',
    group: 'chat',
    dialect: 'openai',
    address: '/v1',
    steps: [
      fields('Settings → AI Service Provider → OpenAI', ['API Key', theKey], ['API Proxy URL', atV1]),
      env((facts) => ({ OPENAI_API_KEY: facts.key, OPENAI_PROXY_URL: atV1(facts) })),
    ],
    links: [lobeChat],
    note: 'selfHosted',
    checked: { by: 'docs', on, source: 'lobehub.com/docs; lobe-chat source code' },
  },
  {
    id: 'cherry-studio',
    name: 'Cherry Studio',
    mark: 'cherrystudio',
    group: 'chat',
    dialect: 'openai',
    address: '',
    steps: [fields('Settings → Model Provider → Add', ['API Key', theKey], ['API Host', atHost])],
    links: [cherryStudio],
    note: 'host',
    checked: { by: 'source', on, source: 'docs.cherry-ai.com; cherry-studio source code' },
  },
  {
    id: 'chatbox',
    name: 'Chatbox',
    group: 'chat',
    dialect: 'openai',
    address: '',
    steps: [
      fields(
        'Settings → Model Provider → Add',
        ['API Host', atHost],
        ['API Path', () => '/v1/chat/completions'],
        ['API Key', theKey],
      ),
    ],
    links: [chatbox],
    checked: { by: 'docs', version: '1.15.1', on, source: 'docs.chatboxai.app' },
  },
  {
    id: 'nextchat',
    name: 'NextChat',
    group: 'chat',
    dialect: 'openai',
    address: '',
    steps: [fields('Settings → Custom Endpoint', ['OpenAI Endpoint', atHost], ['OpenAI API Key', theKey])],
    links: [nextChat],
    note: 'host',
    checked: { by: 'source', on, source: 'ChatGPTNextWeb/NextChat source code, issue 4609' },
  },
];

export const buildTools: readonly Tool[] = [
  {
    id: 'dify',
    name: 'Dify',
    mark: 'dify',
    group: 'build',
    dialect: 'openai',
    address: '/v1',
    steps: [
      fields(
        'Settings → Model Provider → OpenAI-API-compatible',
        ['Model Name', theModel],
        ['API Key', theKey],
        ['API endpoint URL', atV1],
      ),
    ],
    note: 'dify',
    checked: { by: 'docs', on, source: 'marketplace.dify.ai: langgenius/openai_api_compatible' },
  },
  {
    id: 'n8n',
    name: 'n8n',
    mark: 'n8n',
    group: 'build',
    dialect: 'openai',
    address: '/v1',
    steps: [fields('Credentials → Create → OpenAI', ['API Key', theKey], ['Base URL', atV1])],
    note: 'n8n',
    checked: { by: 'source', version: '2.41.1', on, source: 'n8n-io/n8n nodes source code' },
  },
];
