import { expect, test } from 'vitest';
import type { Json } from '#json.ts';
import { provider as custom } from './adapters/custom.ts';
import { provider as lmStudio } from './adapters/lm-studio.ts';
import { provider as mistral } from './adapters/mistral.ts';
import { provider as ollama } from './adapters/ollama.ts';
import { provider as sglang } from './adapters/sglang.ts';
import { provider as vllm } from './adapters/vllm.ts';
import { changed } from './fixes.ts';
import type { Provider } from './provider.ts';

const said = (role: string, content: unknown) => ({ role, content });
const list = [{ type: 'text', text: 'P' }];

/** The messages that a server gets, with this switch of the channel on. */
function got({ chat }: Provider, messages: Json[], on?: string): unknown {
  const plugin = on === undefined ? {} : { [on]: { enable: true } };
  const call = { model: 'qwen3', baseUrl: '', extras: { other: '', plugin }, key: '', stream: false };
  const body = { model: 'qwen3', messages };
  if (chat!.mayFix?.(Buffer.from(JSON.stringify(body)), call) === false) return messages;
  return changed(body, chat!.fix?.(body, call) ?? {})['messages'];
}

test.each<[string, Json[], Json[]]>([
  [
    'several in front',
    [said('system', 'A'), said('developer', 'B'), said('user', 'U')],
    [said('system', 'A\n\nB'), said('user', 'U')],
  ],
  [
    'one behind a user’s message',
    [said('system', 'A'), said('user', 'U'), said('system', 'B'), said('assistant', 'C')],
    [said('system', 'A'), said('user', 'U\n\nB'), said('assistant', 'C')],
  ],
  [
    'one before a user’s message, with parts',
    [said('user', 'U'), said('assistant', 'C'), said('system', 'B'), said('developer', 'D'), said('user', list)],
    [
      said('user', 'U'),
      said('assistant', 'C'),
      said('user', [{ type: 'text', text: 'B' }, { type: 'text', text: 'D' }, ...list]),
    ],
  ],
  [
    'one between a call and its result',
    [said('user', 'U'), said('assistant', null), said('system', 'B'), said('tool', 'T')],
    [said('system', 'B'), said('user', 'U'), said('assistant', null), said('tool', 'T')],
  ],
  [
    'one at the end of an answer',
    [said('user', 'U'), said('assistant', 'C'), said('system', 'B')],
    [said('system', 'B'), said('user', 'U'), said('assistant', 'C')],
  ],
  ['one alone', [said('system', 'A'), said('user', 'U')], [said('system', 'A'), said('user', 'U')]],
])('servers of open models get one system message, in front: %s', (_, messages, expected) => {
  for (const provider of [vllm, sglang, lmStudio]) {
    expect(got(provider, messages)).toEqual(expected);
    expect(got(provider, messages, 'system_anywhere')).toBe(messages);
  }
  for (const provider of [custom, mistral, ollama])
    expect(got(provider, messages, 'one_system_message')).toEqual(expected);
  for (const provider of [custom, ollama]) expect(got(provider, messages)).toBe(messages);
});
