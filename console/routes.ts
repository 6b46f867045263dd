import { existsSync, readdirSync } from 'node:fs';

const source = new URL('./src/', import.meta.url);

/** Names of the folders in `folder` that are screens: those with a `route.tsx`. */
function screensIn(folder: string): string[] {
  return readdirSync(new URL(folder, source), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(new URL(`${folder}/${entry.name}/route.tsx`, source)))
    .map((entry) => entry.name)
    .toSorted();
}

/** `home` is what the folder's own address shows; a dot in a folder's name is a slash in the address. */
function routeOf(folder: string, name: string) {
  const file = `${folder}/${name}/route.tsx`;
  if (name === 'home') return { type: 'index' as const, file };
  return { type: 'route' as const, path: `/${name.replaceAll('.', '/')}`, file };
}

const screens = (folder: string) => screensIn(folder).map((name) => routeOf(folder, name));

/** The address bar as folders: `screens/about` is /about, `screens/user.reset` /user/reset, `screens/panel/log` /panel/log. */
export const routes = {
  type: 'root' as const,
  file: 'app/root-route.tsx',
  children: [
    { type: 'layout' as const, id: 'public', file: 'app/public/public-route.tsx', children: screens('screens') },
    { type: 'route' as const, path: '/panel', file: 'app/panel/panel-route.tsx', children: screens('screens/panel') },
  ],
};
