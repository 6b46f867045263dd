import type { Endpoint } from '@relay-hub/contract';

/** A path of an endpoint that names no existing record. */
export const anyPath = ({ path }: Pick<Endpoint, 'path'>): string => path.replace(/:(\w+)/g, '987654321');
