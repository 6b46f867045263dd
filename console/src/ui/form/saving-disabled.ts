import { createContext } from 'react';

/** True while the server is unreachable: data stays readable, controls that change data are disabled. */
export const SavingDisabled = createContext(false);
