import { Plus } from 'lucide-react';
import type { ComponentProps } from 'react';
import { MenuButton } from './menu-button.tsx';

/** A menu of what can be added to the list above it. */
export const AddMenu = (props: Pick<ComponentProps<typeof MenuButton>, 'label' | 'entries'>) => (
  <MenuButton
    {...props}
    icon={Plus}
    iconOnly={false}
    align="start"
    variant="ghost"
    className="-ml-3 justify-self-start max-sm:ml-0"
  />
);
