import { createStore } from '#api/store.ts';

/** Percentages of successful attempts: below `fine` is a warning, below `poor` an error. Settings of the site. */
export const successLimits = createStore({ fine: 99, poor: 95 });
