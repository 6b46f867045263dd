import { anthropicWire } from '#chat/codecs.ts';
import { anthropicMessages } from '#usage/anthropic-messages.ts';
import type { Asked, Operation, Target } from './operation.ts';
import type { Headers } from './provider.ts';
import { behindGateway, query } from './target.ts';

export type HeadersOf = (key: string) => Headers;

/** The named caller headers that are present. */
export const forwarded = ({ callerHeaders }: Asked, ...names: readonly string[]): Headers =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = callerHeaders?.[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** OpenAI's WebSocket; clients of the beta send its header themselves. */
export function realtimeTarget(asked: Asked, path: string, headers: HeadersOf): Target {
  const baseUrl = asked.baseUrl.replace(/^http/, 'ws');
  return {
    baseUrl,
    path: behindGateway(asked.baseUrl, path) + query({ model: asked.model }),
    headers: { ...headers(asked.key), ...forwarded(asked, 'openai-beta') },
  };
}

/** The caller's path at this provider, for pass-through calls. */
export function rawTarget(asked: Asked, prefix: string, headers: HeadersOf): Target {
  const { baseUrl, key, callerPath = '' } = asked;
  const path = prefix + callerPath.replace(/^\/v1(?=[/?]|$)/, '');
  return {
    baseUrl,
    path: behindGateway(baseUrl, path),
    headers: { ...headers(key), ...forwarded(asked, 'openai-beta') },
  };
}

export const ANTHROPIC_VERSION = '2023-06-01';

/** Anthropic's dialect on the vendor's own hosts; resellers' base URLs may lack it. */
export function messagesAt(url: string, ownBaseUrl: string, headers: HeadersOf): Operation {
  const { origin, pathname } = new URL(url);
  return {
    dialect: 'anthropic',
    path: '',
    target: (asked) => ({
      baseUrl: origin,
      path: pathname,
      headers: {
        ...headers(asked.key),
        'x-api-key': asked.key,
        'anthropic-version': ANTHROPIC_VERSION,
        ...forwarded(asked, 'anthropic-version', 'anthropic-beta'),
      },
    }),
    serves: ({ baseUrl }) => baseUrl === ownBaseUrl,
    usage: anthropicMessages,
    wire: anthropicWire,
  };
}
