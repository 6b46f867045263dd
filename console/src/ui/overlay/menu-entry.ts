import type { HTMLAttributes, ReactElement } from 'react';
import type { IconShape } from '#ui/basic/icon.tsx';

interface Named {
  label: string;
  icon?: IconShape | undefined;
  disabled?: boolean | undefined;
}

/** One line of a menu; `render` is a link (`<Link to=… />`). `null`, `false` and `undefined` are skipped, so that entries can be listed conditionally. */
export type MenuEntry =
  | (Named & {
      onSelect: () => void;
      /** Changes something on the server, so it is off while that is away. Red ones do in any case. */
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
    }
  | { heading: string }
  | 'line';

export type MenuEntries = readonly (MenuEntry | null | false | undefined)[];
