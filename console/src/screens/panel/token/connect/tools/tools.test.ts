import { describe, expect, test } from 'vitest';
import { markNames } from '#ui/basic/mark-names.ts';
import { posix, type ConnectFacts, type Step } from './tool.ts';
import { tools } from './tools.ts';

const facts: ConnectFacts = {
  hub: 'https://hub.example',
  site: `Ann's "Hub" \\ 中`,
  key: 'sk-demo1234567890',
  model: 'a model "x" \'y\' $z',
  small: 'small',
};

/** Texts of a step, by the label of each variant. */
const textsOf = (step: Step): [string, string][] =>
  step.kind === 'fields'
    ? step.fields.map(([label, text]) => [label, text(facts)])
    : step.kind === 'file'
      ? [[step.path, step.text(facts)]]
      : step.snippets.map(({ label, text }) => [label, text(facts)]);

test('the list has the tools that people look for, each once', () => {
  const names = tools.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names).toEqual(
    expect.arrayContaining(
      'Claude Code,Codex,Gemini CLI,Cursor,Cline,Roo Code,Continue,Zed,aider,Open WebUI,LibreChat,LobeChat,Cherry Studio,Chatbox,NextChat,Dify,n8n,LangChain,Vercel AI SDK,curl,Python,TypeScript,Go,Java'.split(
        ',',
      ),
    ),
  );
});

describe.each(tools)('$name', (tool) => {
  const texts = tool.steps.flatMap(textsOf);

  test('names its address, takes the key, and has a dated source', () => {
    const all = texts.map(([, text]) => text).join('\n');
    expect(all).toContain(facts.hub + tool.address);
    expect(all).toContain(facts.key);
    expect(all).not.toMatch(/\/v1\/v1|undefined|\[object/);
    expect(tool.checked.on).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(tool.checked.source).not.toBe('');
    if (tool.mark !== undefined) expect(markNames).toContain(tool.mark);
  });

  test('its JSON files are JSON, whatever the names in them are', () => {
    for (const [label, text] of texts)
      if (label.endsWith('.json')) expect(() => void JSON.parse(text), label).not.toThrow();
  });

  test('its links carry address and key, in the query only where that is said', () => {
    for (const link of tool.links ?? []) {
      const href = link.href(facts);
      expect(URL.canParse(href), href).toBe(true);
      const { protocol, search } = new URL(href);
      const parts = [...new URLSearchParams(search)].map(([, value]) => value);
      const open = [
        href,
        decodeURIComponent(href),
        ...parts.map((part) => Buffer.from(part, 'base64').toString()),
      ].join('\n');
      expect(open).toContain(facts.key);
      expect(open).toContain(facts.hub);
      expect(protocol === 'https:' && search.includes(facts.key)).toBe(link.inQuery === true);
    }
  });
});

test('a word of a shell is quoted where it must be', () => {
  expect([posix('https://hub.example/v1'), posix('sk-••••12'), posix("it's $HOME")]).toEqual([
    'https://hub.example/v1',
    'sk-••••12',
    String.raw`'it'\''s $HOME'`,
  ]);
});

test.each([
  [
    'Cherry Studio',
    'cherrystudio://providers/api-keys?v=1&data=eyJpZCI6InJlbGF5LWh1YiIsIm5hbWUiOiJSZWxheSBIdWIiLCJ0eXBlIjoib3BlbmFpIiwiYmFzZVVybCI6Imh0dHBzOi8vaHViLmV4YW1wbGUuY29tIiwiYXBpS2V5Ijoic2stZGVtbzEyMzQ1Njc4OTAifQ%3D%3D',
  ],
  [
    'NextChat',
    'https://app.nextchat.dev/#/?settings=%7B%22key%22%3A%22sk-demo1234567890%22%2C%22url%22%3A%22https%3A%2F%2Fhub.example.com%22%7D',
  ],
  [
    'CC Switch',
    'ccswitch://v1/import?resource=provider&app=claude&name=Relay+Hub&homepage=https%3A%2F%2Fhub.example.com&endpoint=https%3A%2F%2Fhub.example.com%2Fclaude&apiKey=sk-demo1234567890&model=m&enabled=true',
  ],
])('the link to %s is the one that its program reads', (name, expected) => {
  const link = tools.flatMap(({ links = [] }) => links).find((each) => each.name === name);
  expect(link?.href({ ...facts, hub: 'https://hub.example.com', site: 'Relay Hub', model: 'm' })).toBe(expected);
});
