import { anthropicWire } from '#chat/codecs.ts';
import { anthropicMessages } from '#usage/anthropic-messages.ts';
import type { Asked, Operation, Target } from './operation.ts';
import type { Headers } from './provider.ts';
import { behindGateway, query } from './target.ts';

/** What authorizes a request with a key. */
export type HeadersOf = (key: string) => Headers;

/** Of the caller's headers, those that are given. */
export const forwarded = ({ callerHeaders }: Asked, ...names: readonly string[]): Headers =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = callerHeaders?.[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** A WebSocket of OpenAI's; whoever still speaks the beta says so itself. */
export function realtimeTarget(asked: Asked, path: string, headers: HeadersOf): Target {
  const baseUrl = asked.baseUrl.replace(/^http/, 'ws');
  return {
    baseUrl,
    path: behindGateway(asked.baseUrl, path) + query({ model: asked.model }),
    headers: { ...headers(asked.key), ...forwarded(asked, 'openai-beta') },
  };
}

/** The caller's own path at this provider. */
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

/** Anthropic's dialect at an address that only the vendor's own hosts have: a reseller's channel is not asked there. */
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
