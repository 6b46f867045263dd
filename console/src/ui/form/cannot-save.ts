import { createContext } from 'react';

/** True while the server is away: what is seen stays readable, what would change something is switched off. */
export const CannotSave = createContext(false);
