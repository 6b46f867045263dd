import { AppError } from '#errors.ts';

/**
 * Addresses below `/api` that related programs (one-api, new-api, one-hub) have and this one does not, so that a
 * refusal does not read like a typing error.
 */
const elsewhere: readonly RegExp[] = [
  /^(?:option\/)?system_info(?:\/|$)/,
  /^option\/(?:safe_tools|invoice)(?:\/|$)/,
  /^user\/(?:2fa|passkey|checkin|groups|pay|amount|stripe|creem|waffo)(?:\/|$)/,
  /^user\/dashboard\/(?:rate|uptimekuma)(?:\/|$)/,
  /^(?:user|token|channel|redemption|log)\/search$/,
  /^token\/(?:admin|batch|usage)(?:\/|$)/,
  /^channel\/(?:fetch_models|fix|copy|multi_key|upstream_updates|ollama)(?:\/|$)/,
  /^redemption\/invalid$/,
  /^log\/channel_affinity_usage_cache$/,
  /^analytics\/multi_user_stats(?:\/|$)/,
  /^prices\/updateservice$/,
  /^oauth\/(?:discord|linuxdo|telegram|google)(?:\/|$)/,
  /^(?:webauthn|model_info|models|vendors|ratio_sync|uptime|prefill_group|data|setup)(?:\/|$)/,
  /^(?:performance|subscription|deployments|stripe|creem|waffo|custom-oauth-provider|admin)(?:\/|$)/,
  /^(?:user-agreement|privacy-policy|user_agreement|privacy_policy)$/,
];

/** The refusal of a path of the management API that no endpoint has: `route.unknown`, or `route.absent`. */
export function unknownRoute(method: string, url: string): AppError {
  const [path = ''] = url.split('?', 1);
  const name = /^\/api\/(.*?)\/?$/.exec(path.toLowerCase())?.[1];
  const isElsewhere = name !== undefined && elsewhere.some((pattern) => pattern.test(name));
  return new AppError(isElsewhere ? 'route.absent' : 'route.unknown', { method, path });
}
