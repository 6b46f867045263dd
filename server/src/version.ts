/** The version that clients of the product family compare with. */
export const version = 'v0.14.8';
