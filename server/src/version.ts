/** The version that the product family's clients compare with. */
export const version = 'v0.14.8';
