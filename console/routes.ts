import { existsSync, readdirSync } from 'node:fs';

const source = new URL('./src/', import.meta.url);

/** Folders with a `route.tsx`: `home` has the address of `folder` itself; a dot in a name is a slash in the address. */
const screens = (folder: string) =>
  readdirSync(new URL(folder, source))
    .filter((name) => existsSync(new URL(`${folder}/${name}/route.tsx`, source)))
    .toSorted()
    .map((name) => ({ ...addressOf(name), file: `${folder}/${name}/route.tsx` }));

const addressOf = (name: string) =>
  name === 'home' ? { type: 'index' as const } : { type: 'route' as const, path: `/${name.replaceAll('.', '/')}` };

/** `screens/about` is /about, `screens/user.reset` is /user/reset, `screens/panel/log` is /panel/log. */
export const routes = {
  type: 'root' as const,
  file: 'app/root-route.tsx',
  children: [
    { type: 'layout' as const, id: 'public', file: 'app/public/public-route.tsx', children: screens('screens') },
    { type: 'route' as const, path: '/panel', file: 'app/panel/panel-route.tsx', children: screens('screens/panel') },
  ],
};
