/** Failures after which a call goes on to the next step; see docs/routing.md. */
export const stepFailures = ['error', 'too_long', 'lacking'] as const;
export type StepFailure = (typeof stepFailures)[number];

/** How calls stay with the model that was drawn within a step. */
export const stickyKinds = ['none', 'user', 'session'] as const;

/** `any`: it does not matter whether the request has it. */
export const presences = ['any', 'yes', 'no'] as const;
export type Presence = (typeof presences)[number];

/** Upper bounds of a virtual model. */
export const virtualLimits = { models: 500, steps: 8, choices: 8, groups: 50, versions: 50, atOnce: 32 };

/** Properties of a call that a step can ask for. */
export const stepConditions = [
  'group',
  'endpoint',
  'tools',
  'images',
  'prompt',
  'header',
  'time',
  'price',
  'length',
] as const;
export type StepCondition = (typeof stepConditions)[number];
