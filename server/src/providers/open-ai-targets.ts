import { anthropicWire } from '#chat/codecs.ts';
import { anthropicMessages } from '#usage/anthropic-messages.ts';
import type { ProviderCall, Operation, CallTarget } from './operation.ts';
import type { Headers } from './provider.ts';
import { behindGateway, query } from './target.ts';

export type HeadersOf = (key: string) => Headers;

/** The named caller headers that are present. */
export const forwarded = ({ callerHeaders }: ProviderCall, ...names: readonly string[]): Headers =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = callerHeaders?.[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** OpenAI's WebSocket; clients of the beta send its header themselves. */
export function realtimeTarget(call: ProviderCall, path: string, headers: HeadersOf): CallTarget {
  const baseUrl = call.baseUrl.replace(/^http/, 'ws');
  return {
    baseUrl,
    path: behindGateway(call.baseUrl, path) + query({ model: call.model }),
    headers: { ...headers(call.key), ...forwarded(call, 'openai-beta') },
  };
}

/** The caller's path at this provider, for pass-through calls. */
export function rawTarget(call: ProviderCall, prefix: string, headers: HeadersOf): CallTarget {
  const { baseUrl, key, callerPath = '' } = call;
  const path = prefix + callerPath.replace(/^\/v1(?=[/?]|$)/, '');
  return {
    baseUrl,
    path: behindGateway(baseUrl, path),
    headers: { ...headers(key), ...forwarded(call, 'openai-beta') },
  };
}

export const ANTHROPIC_VERSION = '2023-06-01';

/** Anthropic's dialect on the vendor's own hosts; resellers' base URLs may lack it. */
export function messagesAt(url: string, ownBaseUrl: string, headers: HeadersOf): Operation {
  const { origin, pathname } = new URL(url);
  return {
    dialect: 'anthropic',
    path: '',
    target: (call) => ({
      baseUrl: origin,
      path: pathname,
      headers: {
        ...headers(call.key),
        'x-api-key': call.key,
        'anthropic-version': ANTHROPIC_VERSION,
        ...forwarded(call, 'anthropic-version', 'anthropic-beta'),
      },
    }),
    serves: ({ baseUrl }) => baseUrl === ownBaseUrl,
    usage: anthropicMessages,
    wire: anthropicWire,
  };
}
