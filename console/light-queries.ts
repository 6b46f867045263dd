import type { Plugin } from 'vite';

const stub = `
const leftOut = () => { throw new Error('lists without an end are left out of the build: see light-queries.ts'); };
export { leftOut as infiniteQueryBehavior, leftOut as hasNextPage, leftOut as hasPreviousPage };
`;

/** Leaves out of the query client how lists without an end are fetched: every list of ours has pages. */
export function lightQueries(): Plugin {
  return {
    name: 'light-queries',
    apply: 'build',
    transform: {
      filter: { id: /[\\/]query-core[\\/]build[\\/]modern[\\/]infiniteQueryBehavior\.js$/ },
      handler: () => ({ code: stub, map: null }),
    },
  };
}
