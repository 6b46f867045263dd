import type { ReactNode } from 'react';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';

interface Props {
  icon: IconShape;
  title: string;
  text?: ReactNode;
  /** The next step: a `Button`. */
  action?: ReactNode;
}

/** Says what belongs here and how to add it. */
export function EmptyState({ icon, title, text, action }: Props) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <Icon of={icon} size={18} className="size-6! text-text3" />
      <p className="mt-4 font-title">{title}</p>
      {text && <p className="mt-1 max-w-md text-13 text-balance text-text2">{text}</p>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  );
}
