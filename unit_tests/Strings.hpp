// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contraction strings of the tests, as compile-time lists, and their compile-time properties.
#pragma once

#include <KokkosContract/Spec.hpp>
#include <array>
#include <string_view>

namespace KokkosContract::Test {

/// A list of contraction strings.
template <Spec... S>
struct Strings {
  static constexpr int count = sizeof...(S);
  /// Calls function.operator()<S>() for each; nvcc cannot deduce S... from the type of a list.
  template <class Function>
  static void for_each(const Function& function) {
    (function.template operator()<S>(), ...);
  }
};

template <Spec S>
inline constexpr auto characters_of = [] {
  std::array<char, S.size()> characters{};
  for (std::size_t i = 0; i < S.size(); ++i) characters[i] = S[i];
  return characters;
}();

template <Spec S>
constexpr std::string_view text_of() {
  return std::string_view(characters_of<S>.data(), S.size() - 1);
}

template <Spec S>
constexpr int inputs_of() {
  int inputs = 1;
  for (const char c : text_of<S>()) inputs += c == ',';
  return inputs;
}

/// The rank of input `operand`; of the output for operand == inputs_of.
template <Spec S>
constexpr int rank_of(int operand) {
  int current = 0, rank = 0;
  for (const char c : text_of<S>()) {
    current += c == ',' || c == '>';
    rank += current == operand && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
  }
  return rank;
}

/// TCCG benchmark, all 48 contractions: InTensLi, ...
using TccgIntensli =
    Strings<"bda,dc->abc", "dca,bd->abc", "dbea,ec->abcd", "deca,be->abcd", "ebad,ce->abcd",
            "efbad,cf->abcde", "ecbfa,fd->abcde", "efcad,bf->abcde">;
/// ... a change of basis of two-electron integrals, ...
using TccgAo2mo = Strings<"ea,ebcd->abcd", "eb,aecd->abcd", "ec,abed->abcd">;
/// ... CCSD, ...
using TccgCcsd1 =
    Strings<"ac,cb->ab", "acd,dbc->ab", "cad,dcb->ab", "acd,db->abc", "ad,bdc->abc", "adc,bd->abc",
            "adc,db->abc", "adec,ebd->abc", "aebf,dfce->abcd", "aebf,fdec->abcd">;
/// ... CCSD, ...
using TccgCcsd2 = Strings<"aecf,bfde->abcd", "aecf,fbed->abcd", "aedf,bfce->abcd",
                          "aedf,fbec->abcd", "aefb,fdce->abcd", "aefc,fbed->abcd",
                          "eafb,fdec->abcd", "eafc,bfde->abcd", "eafd,fbec->abcd">;
/// ... CCSD(T) triples, sd1 terms, ...
using TccgTriples1 = Strings<"dega,gfbc->abcdef", "degb,gfac->abcdef", "degc,gfab->abcdef",
                             "dfga,gebc->abcdef", "dfgb,geac->abcdef", "dfgc,geab->abcdef",
                             "efga,gdbc->abcdef", "efgb,gdac->abcdef", "efgc,gdab->abcdef">;
/// ... CCSD(T) triples, sd2 terms.
using TccgTriples2 = Strings<"gdab,efgc->abcdef", "gdac,efgb->abcdef", "gdbc,efga->abcdef",
                             "geab,dfgc->abcdef", "geac,dfgb->abcdef", "gebc,dfga->abcdef",
                             "gfab,degc->abcdef", "gfac,degb->abcdef", "gfbc,dega->abcdef">;

/// Matrix products: every transposition, and matrices times vectors.
using Products = Strings<"ik,kj->ij", "ki,kj->ij", "ik,jk->ij", "ki,jk->ij", "ik,kj->ji", "ij,j->i",
                         "ji,j->i", "i,ij->j", "ijk,kl->ijl", "aB,BC->aC">;
/// Batch letters: in both inputs and the output.
using Batches = Strings<"bik,bkj->bij", "ikb,kjb->ijb", "ibk,kbj->bij", "bcik,bckj->bcij",
                        "bi,bi->b", "bij,bj->bi">;
/// Products without a sum.
using Pointwise = Strings<"ij,ij->ij", "i,j->ij", "ij,kl->ikjl", "ij,j->ij", "ij,ji->ij", ",->",
                          ",ij->ij", "ij,->ji">;
/// Sums over letters of one input, also together with a sum over both.
using SingleSums = Strings<"+ij,jk->k", "ik+l,kj->ij", "+i,+j+k->", "i,i->", "ij,ij->",
                           "ijk,kjl->il", "ik,kj+m->ij">;
/// One input: permutations, sums, traces and diagonals.
using Unary = Strings<"ij->ji", "ijk->kij", "ijkl->ljki", "ij->ij", "i+j->i", "+i+j->", "i+jk->ki",
                      "ii->", "ii->i", "iij->j", "iji->ij", "iijj->ij", "->", "i*->i">;
/// Diagonals of one input of two, conjugation, the largest rank.
using Special =
    Strings<"iik,kj->ij", "ij,jj->i", "ii,ii->i", "ik*,kj->ij", "ik,jk*->ij", "i*,i->",
            "abcdefgh,h->abcdefg", "acegbdfh,h->abcdefgh", "abcdxyzw,wzyxefgh->abcdefgh">;

}  // namespace KokkosContract::Test
