/** Checks of a model, in order. */
export const channelChecks = ['basic', 'error', 'image', 'json', 'tools'] as const;

/** Result of a check. */
export const checkStatus = { failed: 0, passed: 1, unknown: 2 } as const;

/** Why a bulk change skips a channel. */
export const batchSkipReasons = ['no_models_left', 'no_groups_left', 'no_api_version', 'type_unsupported'] as const;

/** Troubles of a channel: temporarily avoided, disabled by the server, or with failing attempts. */
export const troubleKinds = ['frozen', 'switched_off', 'failing'] as const;
