import type { Settings } from '#settings.ts';
import { RelayError } from '#relay/reply/relay-error.ts';

/** Throws a 503 for a vendor API that the operator has disabled. */
export function checkApiEnabled(path: string, settings: Pick<Settings, 'ClaudeAPIEnabled' | 'GeminiAPIEnabled'>): void {
  const claude = path.startsWith('/claude/') || path === '/v1/messages' || path.startsWith('/v1/messages/');
  if ((claude && !settings.ClaudeAPIEnabled) || (path.startsWith('/gemini/') && !settings.GeminiAPIEnabled))
    throw new RelayError(503, 'This API is disabled on this server.', {
      type: 'invalid_request_error',
      code: 'api_disabled',
    });
}
