/** What a model is checked for, in this order. */
export const channelChecks = ['basic', 'error', 'image', 'json', 'tools'] as const;

/** What of it: 0 failed, 1 passed, 2 cannot be told. */
export const checkStatus = { failed: 0, passed: 1, unknown: 2 } as const;

/** Why a channel is left as it is, though it is among those that are meant. */
export const batchSkipReasons = ['no_models_left', 'no_groups_left', 'no_api_version', 'type_unsupported'] as const;

/** What is wrong with a channel: others are preferred for now, the server switched it off, or its attempts fail. */
export const troubleKinds = ['frozen', 'switched_off', 'failing'] as const;
