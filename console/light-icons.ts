import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const drawer = fileURLToPath(new URL('src/ui/basic/light-icon.ts', import.meta.url));

/** Leaves of an icon of the library its lines; how they are drawn is our own. */
export function lightIcons(): Plugin {
  return {
    name: 'light-icons',
    apply: 'build',
    transform: {
      filter: { id: /[\\/]lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/][\w-]+\.mjs$/ },
      handler: (code) => ({
        code: code
          .replace("import createLucideIcon from '../createLucideIcon.mjs'", `import { lightIcon } from '${drawer}'`)
          .replaceAll('createLucideIcon(', '/* @__PURE__ */ lightIcon(')
          // Keys of a list that never changes.
          .replaceAll(/,? ?key: "\w+"/g, '')
          .replace(/^__iconData\.node;$/m, ''),
        map: null,
      }),
    },
  };
}
