/** What the rules find of VAT categories and their sums, which they know by the tax scheme. */
export const ABOUT_VAT = /^BR-(?:CO-(?:04|17|18)|32|37|47|48|(?:AE|AF|AG|B|E|G|IC|O|S|Z)-\d\d)$/;
