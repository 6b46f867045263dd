import type { HTMLAttributes, ReactElement } from 'react';
import type { IconShape } from '#ui/basic/icon.tsx';

interface Named {
  label: string;
  icon?: IconShape | undefined;
  disabled?: boolean | undefined;
}

/** One line of a menu; `render` is a link (`<Link to=… />`). `MenuEntries` may contain `null`, `false` and `undefined`. */
export type MenuEntry =
  | (Named & {
      onSelect: () => void;
      /** Changes data on the server: disabled while offline. `danger` implies it. */
      saves?: boolean | undefined;
      danger?: boolean | undefined;
      shortcut?: string | undefined;
      note?: string | undefined;
    })
  | (Named & { render: ReactElement<HTMLAttributes<HTMLElement>> })
  | (Named & { checked: boolean; onCheck: (checked: boolean) => void })
  | {
      label: string;
      value: string;
      options: readonly { value: string; label: string }[];
      onPick: (value: string) => void;
      /** The menu stays open, so that several options can be tried. */
      stays?: boolean | undefined;
    }
  | { heading: string }
  | 'line';

export type MenuEntries = readonly (MenuEntry | null | false | undefined)[];
