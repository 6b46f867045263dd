import { base64Json, cherryConfig } from '#api/chat-payloads.ts';
import type { ConnectFacts, ToolLink } from './tool.ts';

/** Import links of the tools, as of 2026-11-23. Web links carry the key in the fragment, which stays in the browser. */

const encoded = encodeURIComponent;

/** CC Switch fills in one of the command line agents; the endpoint is used unchanged. */
export const ccSwitch = (app: 'claude' | 'codex' | 'gemini', path: string): ToolLink => ({
  name: 'CC Switch',
  href: ({ hub, site, key, model }) =>
    `ccswitch://v1/import?${new URLSearchParams({
      resource: 'provider',
      app,
      name: site,
      homepage: hub,
      endpoint: hub + path,
      apiKey: key,
      model,
      enabled: 'true',
    })}`,
});

export const cherryStudio: ToolLink = {
  name: 'Cherry Studio',
  mark: 'cherrystudio',
  href: ({ hub, site, key }) =>
    `cherrystudio://providers/api-keys?v=1&data=${cherryConfig({ server: hub, site, key })}`,
};

export const chatbox: ToolLink = {
  name: 'Chatbox',
  href: ({ hub, site, key, model }) =>
    `chatbox://provider/import?config=${encoded(
      base64Json({
        id: 'relay-hub',
        name: site,
        type: 'openai',
        urls: { website: hub },
        settings: { apiHost: hub, apiPath: '/v1/chat/completions', apiKey: key, models: [{ modelId: model }] },
      }),
    )}`,
};

export const nextChat: ToolLink = {
  name: 'NextChat',
  href: ({ hub, key }: ConnectFacts) =>
    `https://app.nextchat.dev/#/?settings=${encoded(JSON.stringify({ key, url: hub }))}`,
};

export const lobeChat: ToolLink = {
  name: 'LobeChat',
  inQuery: true,
  href: ({ hub, key }) =>
    `https://chat-preview.lobehub.com/?settings=${encoded(
      JSON.stringify({ keyVaults: { openai: { apiKey: key, baseURL: `${hub}/v1` } } }),
    )}`,
};
