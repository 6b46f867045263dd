import { userApi, type Endpoint, type Envelope } from '@relay-hub/contract';
import { atBase } from '#base-path.ts';
import { languageTag } from '#i18n/i18n.ts';
import { call } from './call.ts';
import { nativeForm } from './native-form.ts';

/**
 * Calls an endpoint that answers with server-sent events and passes on each of them; resolves at the end of the
 * stream. Throws `ApiError` for a refusal.
 */
export async function callEvents(
  { path, method }: Endpoint,
  body: object | undefined,
  signal: AbortSignal,
  onEvent: (event: unknown) => void,
): Promise<void> {
  const headers = { 'Accept-Language': languageTag(), ...nativeForm };
  const sent = body && { body: JSON.stringify(body), headers: { ...headers, 'Content-Type': 'application/json' } };
  const response = await fetch(atBase(path), { method, headers, signal, ...sent });
  // Reports the ended session, as every call does, and throws.
  if (response.status === 401) await call(userApi.self);
  if (!response.ok || !response.body) {
    // Refusals under /api are envelopes; a body that is none counts as empty.
    const envelope = (await response.json().catch(() => undefined)) as Envelope<unknown> | undefined;
    const { refusalOf } = await import('./failed-call.ts');
    throw await refusalOf(response.status, envelope);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = /^data:(.+)$/m.exec(event)?.[1];
      if (data !== undefined) onEvent(JSON.parse(data));
    }
  }
}
